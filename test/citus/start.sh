#!/usr/bin/env bash
# Starts a coordinator and two workers of Citus, with data in the folder `citus`, as a user other than root, where
# PostgreSQL 15 and Citus are installed.
set -euo pipefail
PATH=/usr/lib/postgresql/15/bin:$PATH
for port in 9700 9701 9702; do
  initdb -D citus/$port -U postgres -A trust -E UTF8 --locale=C.UTF-8
  printf '%s\n' "port=$port" "unix_socket_directories='/tmp'" "shared_preload_libraries='citus'" fsync=off \
    max_connections=300 max_prepared_transactions=200 max_worker_processes=100 citus.shard_count=4 \
    >> citus/$port/postgresql.conf
  pg_ctl -D citus/$port -l citus/$port.log -w start
  psql -h 127.0.0.1 -p $port -U postgres -c 'create extension citus'
done
psql -h 127.0.0.1 -p 9700 -U postgres -c "select citus_set_coordinator_host('127.0.0.1', 9700)" \
  -c "select citus_add_node('127.0.0.1', 9701)" -c "select citus_add_node('127.0.0.1', 9702)"
