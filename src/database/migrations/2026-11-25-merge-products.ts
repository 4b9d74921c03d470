import { type Kysely, sql } from 'kysely'

/**
 * PUT of products in one round trip. A function, because what it writes must be read after its locks were taken: within one statement all is as it was before.
 * `write-products.ts` says what it is given, and what it returns.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql.raw(mergeProducts).execute(db)
}

/**
 * The patches and statuses are looked up by the products' codes, and the products by their index: in a join PostgreSQL may read the whole store for one product. The store is
 * a subquery, which the planner does not look up in its statistics: a store that was made since they were gathered has no rows there.
 */
const mergeProducts = `
  create function merge_products(
    store uuid, judged_by text, lock_stores integer[], lock_numbers integer[], lock_shared boolean[],
    patches jsonb, statuses jsonb, refused text[], surely_fits integer, most_bytes integer
  ) returns table (definitions text, fingerprint text, missing text[], too_large text[]) language plpgsql as $$
  declare
    codes text[];
  begin
    perform from store s where s.store_uuid = store;
    if not found then
      return;
    end if;

    select coalesce(json_agg(json_build_object('name', d.name, 'type', d.type, 'allowedValues', d.allowed_values,
        'maxLength', d.max_length, 'pattern', d.pattern) order by d.name), '[]')
      from attribute_definition d where d.store_uuid = store into definitions;
    fingerprint := md5(definitions);
    if judged_by is distinct from fingerprint then
      return next;
      return;
    end if;

    perform case when l.shared then pg_advisory_xact_lock_shared(l.store, l.number) else pg_advisory_xact_lock(l.store, l.number) end
      from unnest(lock_stores, lock_numbers, lock_shared) as l(store, number, shared);

    codes := array(select jsonb_object_keys(patches)) || refused;
    return query
      with changed as (
        update product p set attributes = p.attributes || (patches -> p.product_code),
          status = coalesce(statuses ->> p.product_code, p.status), updated_at = now()
        where p.store_uuid = (select store) and p.product_code = any(codes)
          and case when p.attributes @> (patches -> p.product_code) then p.status <> statuses ->> p.product_code
            when patches ? p.product_code then pg_column_size(p.attributes) < surely_fits
              or pg_column_size(p.attributes || (patches -> p.product_code)) <= most_bytes end
        returning p.product_code
      ), left_over as (
        select code, (
          select coalesce(p.attributes @> (patches -> code) or pg_column_size(p.attributes) < surely_fits
            or pg_column_size(p.attributes || (patches -> code)) <= most_bytes, true)
          from product p where p.store_uuid = (select store) and p.product_code = code
        ) as fits
        from unnest(codes) code where code not in (select product_code from changed)
      )
      select null::text, null::text, array_agg(code) filter (where fits is null), array_agg(code) filter (where not fits) from left_over;
  end $$`
