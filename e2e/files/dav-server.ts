import { createServer, type Server } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { v2 as webdav } from 'webdav-server';

/** A request that the server got. */
interface DavRequest {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly condition: string | undefined;
}

/** A status, none ever, or what the server answers by itself. */
type DavAnswer = number | 'silence' | undefined;

/** A WebDAV server on loopback, with the files of one user in memory, which another user may change as well. */
export interface DavServer {
  /** Address of the root. */
  readonly url: string;
  readonly login: string;
  readonly password: string;
  /** Basic authorization of the other user. */
  readonly otherAuthorization: string;
  /** Requests so far: method, path, and further headers that tests look at. */
  readonly requests: DavRequest[];
  /** Makes the server answer as it is told; undefined: as it does by itself. */
  answer?: (method: string, path: string) => DavAnswer | Promise<DavAnswer>;
  close(): Promise<void>;
}

/** Starts a WebDAV server. */
export async function startDavServer(): Promise<DavServer> {
  const login = 'ann';
  const password = 'secret of ann';
  const users = new webdav.SimpleUserManager();
  const user = users.addUser(login, password, false);
  const other = users.addUser('other', password, false);
  const privileges = new webdav.SimplePathPrivilegeManager();
  for (const each of [user, other]) privileges.setRights(each, '/', ['all']);
  const dav = new webdav.WebDAVServer({
    httpAuthentication: new webdav.HTTPBasicAuthentication(users, 'files'),
    privilegeManager: privileges,
    requireAuthentification: true,
  });
  const state: { answer?: DavServer['answer'] } = {};
  const requests: DavRequest[] = [];
  const server: Server = createServer(async (request, response) => {
    const path = request.url!;
    const { authorization, 'if-match': condition } = request.headers;
    requests.push({ method: request.method!, path, authorization, condition });
    const answer = await state.answer?.(request.method!, decodeURIComponent(path));
    if (answer === 'silence') return;
    if (answer !== undefined) {
      request.resume();
      response.writeHead(answer).end();
      return;
    }
    dav.executeRequest(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, {
    url: `http://127.0.0.1:${port}/`,
    login,
    password,
    otherAuthorization: `Basic ${btoa(`other:${password}`)}`,
    requests,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

/** A port on loopback where nobody answers. */
export async function findClosedPort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
