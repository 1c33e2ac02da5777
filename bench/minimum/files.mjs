import http from 'node:http';
import { createRequire } from 'node:module';

// The least that has to be done for a file: bodies go into the file store of FILESTORE_URL and come out of it.
const { fileStoreFor } = createRequire(import.meta.url)('@groupware/file-store');
const store = fileStoreFor(process.env.FILESTORE_URL);
let stored;

const server = http.createServer(async (request, response) => {
  if (request.method === 'POST') {
    stored = await store.write(request, { maxBytes: Number.MAX_SAFE_INTEGER });
    await store.claim(stored.reference);
  } else if (request.method === 'DELETE') await store.remove(stored.reference);
  else
    for await (const chunk of store.read(stored.reference))
      if (!response.write(chunk)) await new Promise((resume) => response.once('drain', resume));
  response.end();
});
server.listen(0, '127.0.0.1', () => console.log(`ready http://127.0.0.1:${server.address().port}/`));
