import { connect } from 'nats';

/** Connects to the bus of `NATS_URL`; the client does not read the login in it by itself. */
export function connectBus() {
  const { host, username, password } = new URL(process.env.NATS_URL);
  const login = username ? { user: decodeURIComponent(username), pass: decodeURIComponent(password) } : {};
  return connect({ servers: host, ...login });
}
