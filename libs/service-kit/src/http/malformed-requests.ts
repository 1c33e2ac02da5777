import { STATUS_CODES, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { HeadProblem } from './request-head';

/** Time in which a client may finish what it is sending after it was refused, ms. */
const LINGER_MS = 2_000;
/** Bytes that such a client may still send. */
const LINGER_BYTES = 4 * 1024 * 1024;

/** Errors of Node's parser and timers, and what clients are told of them. All others are syntax errors. */
const PROBLEMS: Readonly<Record<string, HeadProblem>> = {
  HPE_HEADER_OVERFLOW: { status: 431, reason: 'the head of the request is too large' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, reason: 'the extensions of a chunk are too large' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, reason: 'the request was not complete in time' },
};
const SYNTAX_ERROR: HeadProblem = { status: 400, reason: 'malformed HTTP' };

/**
 * Answers requests that the parser of HTTP refuses, with a body made by the given function. Closing a connection on which
 * the client still sends would reset it, and the client would lose the answer (RFC 9112 section 9.6): what follows is read
 * and dropped for a while.
 */
export function answerMalformedRequests(server: Server, bodyFor: (problem: HeadProblem) => string): void {
  const refused = new WeakSet<Socket>();
  const responses = new WeakMap<Socket, ServerResponse>();
  server.prependListener('request', (request, response) => responses.set(request.socket, response));
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket;
    const response = responses.get(socket);
    const isAnswering = response !== undefined && response.headersSent && !response.writableFinished;
    if (refused.has(socket) || isAnswering || !socket.writable) {
      socket.destroy();
      return;
    }
    refused.add(socket);
    const problem = PROBLEMS[error.code ?? ''] ?? SYNTAX_ERROR;
    const body = bodyFor(problem);
    const head = [
      `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
      'Connection: close',
      'Content-Type: application/json; charset=UTF-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Cache-Control: no-store',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
    if (problem.status === 408) socket.destroySoon();
    else dropRest(socket);
  });
}

/** Reads and drops what a client still sends, within limits, and closes its connection then. */
function dropRest(socket: Socket): void {
  const end = socket.bytesRead + LINGER_BYTES;
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.removeAllListeners('data');
  socket.on('data', () => {
    if (socket.bytesRead > end) socket.destroy();
  });
  socket.once('end', () => socket.destroy());
  socket.once('close', () => clearTimeout(timer));
}
