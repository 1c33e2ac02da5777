import { Caller, EventBus } from '@groupware/messaging';
import { Clock } from '@groupware/service-kit';
import type { FactoryProvider } from '@nestjs/common';
import { Directory } from './directory';
import { createDirectorySource, invalidateOnChange } from './directory-source';

/** The directory for a service that injects it. */
export const directoryProvider = (service: string): FactoryProvider<Directory> => ({
  provide: Directory,
  inject: [Caller, EventBus, Clock],
  useFactory: (caller: Caller, events: EventBus, clock: Clock) =>
    invalidateOnChange(new Directory(createDirectorySource(caller, service), () => clock.now()), events),
});
