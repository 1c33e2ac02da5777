import { callsLogger, type EventMessage } from '@groupware/contracts';
import { toCatalogueError, type EventBus } from '@groupware/messaging';
import { consumeOnce, consumeTogether, type ModuleDatabase } from '@groupware/persistence';
import type { EventSettings } from './config/event-settings';
import { listEvents, isBatchConsumer, type BatchConsumer, type Consumer } from './define-service';
import { describeError } from './describe-error';
import { Logger, withLabels } from './log/logger';
import type { Started } from './start-service';

/** Begins to deliver events to the consumers of a service. */
export async function subscribeConsumers(
  { definition: { name }, parts, app, database }: Started,
  events: EventBus,
  settings: EventSettings,
): Promise<void> {
  if (parts.consumers.length === 0) return;
  if (!database) throw new Error(`the service ${name} consumes events but has no database`);
  const single = parts.consumers.filter((type) => !isBatchConsumer(type));
  // A service takes each event once; all its consumers of the event get it, and each notes by itself that it did.
  for (const event of new Set(single.flatMap(listEvents))) {
    const consumers = single
      .filter((type) => listEvents(type).includes(event))
      .map((type) => app.get<Consumer<unknown>>(type));
    await events.subscribe(name, event, async (message) => {
      for (const consumer of consumers) await consume(name, consumer, message, database);
    });
  }
  for (const type of parts.consumers.filter(isBatchConsumer)) {
    const consumer = app.get<BatchConsumer<unknown>>(type);
    await events.subscribeBatches({
      service: name,
      consumer: type.name,
      events: listEvents(type).map((event) => event.name),
      lanes: settings.lanes,
      batchSize: settings.batchSize,
      handle: (messages) => consumeBatch(name, consumer, messages, database),
    });
  }
}

/** Runs a consumer: its effect once per event, as the note about the event shares the transaction, then what follows it. */
async function consume(
  service: string,
  consumer: Consumer<unknown, unknown>,
  message: EventMessage,
  database: ModuleDatabase,
): Promise<void> {
  const requestId = `event ${message.id}`;
  try {
    await withLabels({ requestId, module: service, action: message.name, context: message.contextId }, async () => {
      if (consumer.handle) {
        const prepared = await consumer.prepare?.(message as never);
        await consumeOnce(database, `${service}.${consumer.constructor.name}`, message, async (tx) =>
          consumer.handle?.(message as never, tx, prepared),
        );
      }
      await consumer.afterCommit?.(message as never);
    });
  } catch (error) {
    const known = toCatalogueError(error);
    const fields = { requestId, event: message.name, error_id: known.errorId, error: describeError(error) };
    Logger.for(callsLogger(service)).error(fields, 'event failed');
    throw known;
  }
}

/** Runs a consumer once for events of one context. */
async function consumeBatch(
  service: string,
  consumer: BatchConsumer<unknown>,
  messages: readonly EventMessage[],
  database: ModuleDatabase,
): Promise<void> {
  const { contextId, id } = messages[0]!;
  const requestId = `event ${id}`;
  try {
    await withLabels(
      { requestId, module: service, action: consumer.constructor.name, context: contextId },
      async () => {
        const prepared = await consumer.prepare?.(messages);
        await consumeTogether(
          database,
          `${service}.${consumer.constructor.name}`,
          { contextId },
          messages,
          (tx, fresh) => consumer.handleBatch(fresh, tx, prepared),
        );
      },
    );
  } catch (error) {
    const known = toCatalogueError(error);
    const fields = { requestId, events: messages.length, error_id: known.errorId, error: describeError(error) };
    Logger.for(callsLogger(service)).error(fields, 'events failed');
    throw known;
  }
}
