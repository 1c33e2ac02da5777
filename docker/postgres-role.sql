-- The role of the services owns its database and is no superuser. Runs once, when the volume is new.
\set password `cat /run/secrets/postgres-password`
create role groupware login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password :'password';
create database groupware owner groupware;
