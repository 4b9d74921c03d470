-- Sets the names of the coordinator and its workers. It connects to them also as the role of row-level
-- security, with the password that all servers of compose.citus.yaml have in PGPASSWORD.
select citus_set_coordinator_host('database');
select citus_add_node('worker-1', 5432);
select citus_add_node('worker-2', 5432);
\getenv password PGPASSWORD
select 'create role catalogue_tenant' where not exists (select from pg_roles where rolname = 'catalogue_tenant') \gexec
alter role catalogue_tenant login password :'password';
