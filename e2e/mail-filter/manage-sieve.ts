import { createConnection } from 'node:net';
import { MAIL_PASSWORD } from '../mail-account/outside';

/** Another client of the scripts of a user: says lines to the server, and answers all it said. */
export const manage = (port: number, login: string, lines: readonly string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const secret = Buffer.from(`\0${login}\0${MAIL_PASSWORD}`).toString('base64');
    let said = '';
    const socket = createConnection(port, '127.0.0.1', () =>
      socket.write([`AUTHENTICATE "PLAIN" "${secret}"`, ...lines, 'LOGOUT', ''].join('\r\n')),
    );
    socket.on('data', (data) => (said += String(data)));
    socket.on('error', reject);
    socket.on('close', () => resolve(said));
  });

/** Stores a script, and makes it the active one. */
export async function putScript(port: number, login: string, name: string, script: string): Promise<void> {
  const said = await manage(port, login, [
    `PUTSCRIPT "${name}" {${Buffer.byteLength(script)}+}`,
    script,
    `SETACTIVE "${name}"`,
  ]);
  expect(said).not.toMatch(/^NO/m);
}
