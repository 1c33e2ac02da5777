// The composed minimum, gateway: node:http -> Redis GET -> NATS request -> bytes through. Nothing is checked but the
// session's existence: this is the floor no gateway gets below with these servers.
import http from 'node:http';
import Redis from 'ioredis';
import { connectBus } from './connect-bus.mjs';

const redis = new Redis(process.env.REDIS_URL);
const bus = await connectBus();
await redis.ping();

const answer = (response, body) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
};

const bodyOf = async (request) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
};

const server = http.createServer(async (request, response) => {
  try {
    const url = new URL(request.url, 'http://localhost');
    const text = await redis.get(`bench-minimum:${url.searchParams.get('session')}`);
    if (!text) return answer(response, Buffer.from('{"error":"no session"}'));
    const session = JSON.parse(text);
    if (url.pathname === '/session') return answer(response, Buffer.from('[]'));
    const question =
      request.method === 'PUT'
        ? { ...session, body: JSON.parse(await bodyOf(request)) }
        : {
            folder: session.folder,
            start: Number(url.searchParams.get('start')),
            end: Number(url.searchParams.get('end')),
            name: url.searchParams.get('name'),
            values: JSON.parse(url.searchParams.get('values') ?? '[]'),
          };
    const reply = await bus.request(`bench-minimum.${url.pathname.slice(1)}`, JSON.stringify(question), {
      timeout: 20_000,
    });
    answer(response, reply.data);
  } catch (error) {
    response.writeHead(500);
    response.end(String(error));
  }
});
server.listen(0, '127.0.0.1', () => console.log(`ready http://127.0.0.1:${server.address().port}`));
process.once('SIGTERM', () => process.exit(0));
