-- The role of the gateway owns its database, and is no superuser. It makes the role of row-level security and, on demand,
-- logins of SQL tools. The image of PostgreSQL runs this file once, as its administrator, with an empty volume.
\getenv password GATEWAY_PASSWORD
create role gateway login createrole password :'password';
select format('alter database %I owner to gateway', current_database()) \gexec
