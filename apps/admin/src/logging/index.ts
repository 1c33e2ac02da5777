import type { Provider } from '@nestjs/common';
import { GlobalLoggers } from './global-loggers';
import { LogOverviews } from './log-overviews';
import { LogTable } from './log-table';
import { OwnerRemoval } from './owner-removal';
import { Owners } from './owners';
import { ScopedLoggers } from './scoped-loggers';
import { SessionSweep } from './session-sweep';
import { StackTraces } from './stack-traces';
import { SuppressedCategories } from './suppressed-categories';

/** Providers of the operations on log levels. */
export const loggingProviders: readonly Provider[] = [
  LogTable,
  Owners,
  OwnerRemoval,
  GlobalLoggers,
  ScopedLoggers,
  StackTraces,
  SuppressedCategories,
  LogOverviews,
  SessionSweep,
];
