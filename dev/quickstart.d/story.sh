# The story that the quickstart tells with a running pgc. Sourced by dev/quickstart.
# shellcheck shell=bash

# The webhook's certificate reaches the API server a moment after the webhook is ready.
create_my_db() {
  retry 5 kubectl apply -f "$root/manifests/samples/my-db.yaml" >&2
  kubectl wait --for=condition=Ready --timeout=300s pgc/my-db >&2
}

# sql HOST STATEMENT: as the application would, from a pod of the cluster. The password stays in the pod's environment.
sql() {
  local pod
  pod=$(kubectl get pods -l db.example.com/cluster=my-db -o jsonpath='{.items[0].metadata.name}')
  kubectl exec "$pod" -c postgres -- sh -c 'PGPASSWORD=$PGC_APP_PASSWORD exec psql -X -q -A -t -v ON_ERROR_STOP=1 -h "$0" -U app -d app -c "$1"' "$1" "$2"
}

write_and_read() {
  local told
  sql my-db-rw "CREATE TABLE IF NOT EXISTS greeting (text text); TRUNCATE greeting; INSERT INTO greeting VALUES ('hello from the primary')"
  for _ in $(seq 50); do
    told=$(sql my-db-ro "SELECT text || ', read ' || CASE WHEN pg_is_in_recovery() THEN 'from a replica' ELSE 'from the primary' END FROM greeting")
    [ -n "$told" ] && break
    sleep 0.2
  done
  [ "$told" = "hello from the primary, read from a replica" ] || die "my-db-ro told \"$told\""
  log "    my-db-ro: $told"
}

tell_story() {
  timed "create my-db and wait until it is Ready" create_my_db
  timed "write through my-db-rw, read through my-db-ro" write_and_read
  timed "kubectl pgc scale my-db 5" kubectl pgc scale my-db 5 --wait
  timed "kubectl pgc scale my-db 3" kubectl pgc scale my-db 3 --wait
}

print_summary() {
  local line total=$SECONDS
  step "kubectl get pgc"
  kubectl get pgc
  step "kubectl pgc describe my-db"
  kubectl pgc describe my-db
  step "summary"
  for line in "${times[@]}"; do printf '%6ss  %s\n' "${line%%|*}" "${line#*|}"; done
  printf '%6ss  in all\n' "$total"
  [ -n "$context" ] || cat <<NEXT

Go on:
  export KUBECONFIG=$KUBECONFIG PATH=$bin:\$PATH
  kubectl pgc describe my-db        (kubectl is also: dev/cluster kubectl)
NEXT
}
