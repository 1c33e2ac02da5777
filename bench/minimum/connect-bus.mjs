import { connect } from 'nats';

/** Connects to a bus; the client does not read the login in the URL by itself. */
export function connectBus(url = process.env.NATS_URL) {
  const { host, username, password } = new URL(url);
  const login = username ? { user: decodeURIComponent(username), pass: decodeURIComponent(password) } : {};
  return connect({ servers: host, ...login });
}
