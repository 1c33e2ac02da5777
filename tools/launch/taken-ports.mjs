import { createServer } from 'node:net';

/**
 * Refuses ports that another program listens on.
 * @param {Record<string, number>} ports by the name of their variable; 0 means any free one
 * @param {Record<string, string | undefined>} [hosts] the address each binds to
 * @throws one error that names all of them
 */
export async function refuseTakenPorts(ports, hosts = {}) {
  const problems = [];
  for (const [name, port] of Object.entries(ports)) {
    const problem = port === 0 ? undefined : await tryPort(port, hosts[name] || '127.0.0.1');
    if (problem) problems.push(`${name} ${port} ${problem}; set ${name} to another one`);
  }
  if (problems.length) throw new Error(problems.join('\n'));
}

const reasons = { EADDRINUSE: 'is taken by another program', EACCES: 'may not be used by this account' };

const tryPort = (port, host) =>
  new Promise((resolve) => {
    const server = createServer()
      .once('error', ({ code, message }) => resolve(reasons[code] ?? `cannot be used (${message})`))
      .listen(port, host, () => server.close(() => resolve(undefined)));
  });
