-- The adjudicators' role: it logs in, owns its database, and may do nothing else on the server.
CREATE ROLE twinboard LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION;
CREATE DATABASE twinboard OWNER twinboard ENCODING 'UTF8' TEMPLATE template0;
REVOKE ALL ON DATABASE twinboard FROM PUBLIC;
