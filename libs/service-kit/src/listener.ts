import { once } from 'node:events';
import http from 'node:http';
import type { Duplex } from 'node:stream';
import type { AddressInfo } from 'node:net';
import { Module, type DynamicModule, type Provider, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import { TerminusModule } from '@nestjs/terminus';
import type { UpgradeTaker } from './define-service';
import express, { type Express } from 'express';

@Module({})
class ListenerModule {}

/** An express application that tells nothing about itself. */
export function bareExpress(): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  return app;
}

/** Opens a listener. Its handlers run before Nest's own routes. Fails with the name of the setting when the port is taken. */
export async function listen(
  instance: Express,
  controllers: Type[],
  providers: Provider[],
  port: number,
  host: string,
  portName: string,
  takeUpgrade?: UpgradeTaker,
): Promise<{ url: string; close: () => Promise<void> }> {
  const module: DynamicModule = {
    module: ListenerModule,
    imports: controllers.length > 0 ? [TerminusModule.forRoot({ errorLogStyle: 'json', logger: false })] : [],
    controllers,
    providers,
  };
  const app = await NestFactory.create<NestExpressApplication>(module, new ExpressAdapter(instance), {
    bodyParser: false,
    logger: ['error', 'warn'],
    abortOnError: false,
  });
  await app.init();
  const server: http.Server = app.getHttpServer();
  server.keepAliveTimeout = 65_000;
  server.requestTimeout = 0;
  const unused = unusedConnections(server);
  if (takeUpgrade)
    server.on('upgrade', (request, socket, head) => {
      unused.delete(socket);
      takeUpgrade(request, socket, head);
    });
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    await app.close();
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new Error(`${portName}: port ${port} on ${host} is taken`, { cause: error });
  }
  const address = server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    url: `http://${name === '0.0.0.0' || name === '[::]' ? '127.0.0.1' : name}:${address.port}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      // Kept-alive connections close as soon as their answer is sent: a client that asks again must find another process.
      const idle = setInterval(() => {
        server.closeIdleConnections();
        // Connections on which nobody ever asked anything count as busy there.
        for (const socket of unused) socket.destroy();
      }, 20);
      server.closeIdleConnections();
      await closed;
      clearInterval(idle);
      await app.close();
    },
  };
}

/** Connections on which no request came yet; browsers open some in advance. */
function unusedConnections(server: http.Server): Set<Duplex> {
  const unused = new Set<Duplex>();
  server.on('connection', (socket: Duplex) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.prependListener('request', ({ socket }: http.IncomingMessage) => unused.delete(socket));
  return unused;
}
