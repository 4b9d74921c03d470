-- Questions for Metabase and other SQL tools, with a login of "catalog report-user add".

-- Products by store and status
select s.store_name, p.status, count(*) as products
from products p join stores s using (store_uuid) group by 1, 2 order by 1, 2;

-- Share of products that have an image on a channel
select s.store_name, c.channel, c.groups, count(*) as products, round(100.0 * c.groups / count(*), 1) as percent
from coverage c join stores s using (store_uuid) join products p using (store_uuid)
where c.asset_format = 'image' group by 1, 2, 3 order by 1, 2;

-- The 20 most frequent brands
select attributes ->> 'Brand' as brand, count(*) as products
from products where attributes ? 'Brand' group by 1 order by 2 desc, 1 limit 20;

-- Changes by day and person
select date_trunc('day', at) as day, actor, operation, sum(items) as items, sum(failed) as failed
from changes group by 1, 2, 3 order by 1, 2, 3;

-- Imports with failures
select s.store_name, j.created_at, j.state, j.rows, j.failed, j.error
from jobs j join stores s using (store_uuid) where j.kind = 'import' and (j.failed > 0 or j.state = 'failed')
order by j.created_at desc;
