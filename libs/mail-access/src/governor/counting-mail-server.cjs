/**
 * A mail server over TLS for the load test, in a thread of its own: a busy client in the same one would keep it from
 * accepting. It counts connections, in total and of one account, and refuses what is beyond its limits.
 * Messages to it: `down`, `up`, `count` (answered with the counts).
 */
const tls = require('node:tls');
const { parentPort, workerData } = require('node:worker_threads');

const { perAccount, inTotal, cert, key } = workerData;
/** The way of a command to the server and back, ms. */
const WAY_MS = 5;
const counts = { open: 0, mostOpen: 0, mostOfOne: 0, refused: 0, attempts: [] };
const ofAccount = new Map();
const sockets = new Set();
let isDown = false;

const server = tls.createServer({ cert, key }, (socket) => {
  let account;
  socket.on('error', () => undefined);
  socket.on('close', () => account && ofAccount.set(account, ofAccount.get(account) - 1));
  socket.write('* OK [CAPABILITY IMAP4rev1] hello\r\n');
  socket.on('data', (data) => {
    for (const line of String(data).split('\r\n').filter(Boolean)) {
      const [tag, command, login] = line.split(' ');
      if (command === 'LOGIN') {
        account = login;
        const mine = (ofAccount.get(account) ?? 0) + 1;
        ofAccount.set(account, mine);
        counts.mostOfOne = Math.max(counts.mostOfOne, mine);
        if (mine > perAccount) counts.refused += 1;
      }
      if (command === 'LOGOUT') socket.end(`* BYE\r\n${tag} OK\r\n`);
      else setTimeout(() => socket.write(`${tag} OK\r\n`), WAY_MS);
    }
  });
});
server.on('tlsClientError', () => undefined);
server.on('connection', (socket) => {
  counts.attempts.push(Date.now());
  socket.on('error', () => undefined);
  if (isDown) return void socket.destroy();
  sockets.add(socket);
  counts.open += 1;
  counts.mostOpen = Math.max(counts.mostOpen, counts.open);
  socket.on('close', () => {
    counts.open -= 1;
    sockets.delete(socket);
  });
  if (counts.open <= inTotal) return undefined;
  counts.refused += 1;
  return void socket.destroy();
});
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));

parentPort.on('message', (message) => {
  if (message === 'count') parentPort.postMessage(counts);
  else isDown = message === 'down';
  if (isDown) for (const socket of sockets) socket.destroy();
});
