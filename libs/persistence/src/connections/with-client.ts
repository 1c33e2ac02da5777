import { Client, type ClientConfig } from 'pg';
import { singleHostUrl } from './host-finder';

/** Runs work with a connection of its own, outside of any pool: for what operators do with whole schemas. */
export async function withClient<T>(
  address: string,
  config: Pick<ClientConfig, 'application_name' | 'connectionTimeoutMillis'>,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({ ...config, connectionString: await singleHostUrl(address) });
  // A connection that breaks emits an error; unheard, it would end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
