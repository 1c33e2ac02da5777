#!/bin/sh
# Makes the passwords and keys of docker/compose.yaml, once: what is there stays as it is, what is missing is made.
# sh docker/make-secrets.sh [folder]
set -eu
cd "$(dirname "$0")"
target=${1:-secrets}
umask 077
# Only the owner of the folder reaches the files in it; containers, whose users differ, see single files of it.
mkdir -p "$target"
chmod 700 "$target"

random() { od -An -N "$1" -tx1 /dev/urandom | tr -d ' \n'; }
# save <name>: keeps standard input as a file, unless there is one
save() {
  if [ -e "$target/$1" ]; then cat >/dev/null; else
    cat >"$target/$1.new"
    chmod 444 "$target/$1.new"
    mv "$target/$1.new" "$target/$1"
  fi
}
password() { random 24 | save "$1"; }

password postgres-superuser-password
password postgres-password
printf 'postgres://groupware:%s@postgres:5432/groupware' "$(cat "$target/postgres-password")" | save database-url

# Redis reads its append-only file as the user default, whom nobody else needs to be.
password redis-password
printf 'user default on >%s ~* &* +@all\nuser groupware on >%s ~* &* +@all -@admin -@dangerous +info\n' \
  "$(random 24)" "$(cat "$target/redis-password")" | save redis-users
printf 'redis://groupware:%s@redis:6379' "$(cat "$target/redis-password")" | save redis-url

# A user of NATS for each module: those of users.conf. The server reads its variables as values of its configuration, where
# what begins with a digit may be a number: these passwords begin with a letter.
users=$(sed -n 's/^ *user: "\(.*\)"$/\1/p' ../k8s/components/bus-users/users.conf)
for user in $users; do
  [ -e "$target/nats-url-$user" ] || printf 'nats://%s:%s@nats:4222' "$user" "p$(random 24)" | save "nats-url-$user"
done
for user in $users; do
  name=$(printf %s "$user" | tr 'a-z-' 'A-Z_')
  printf 'NATS_PASSWORD_%s=%s\n' "$name" "$(sed 's/^[^:]*:[^:]*:\(.*\)@.*$/\1/' "$target/nats-url-$user")"
done >"$target/nats-passwords.new"
chmod 444 "$target/nats-passwords.new"
mv "$target/nats-passwords.new" "$target/nats-passwords"

head -c 32 /dev/urandom | base64 | tr -d '\n' | save secret-key

# The gateway signs who calls; the other modules have the public half alone.
if [ ! -e "$target/principal-key" ]; then
  openssl genpkey -algorithm ed25519 -outform DER >"$target/principal-key.der"
  openssl pkey -inform DER -in "$target/principal-key.der" -pubout -outform DER | tail -c 32 | base64 | save principal-public-keys
  # Last: what is there counts as made.
  tail -c 32 "$target/principal-key.der" | base64 | save principal-key
  rm "$target/principal-key.der"
fi
password master-password
echo "The secrets are in $(cd "$target" && pwd); master-password there is the one of the master administrator."
