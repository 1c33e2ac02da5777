import { Counter } from 'prom-client';
import type { SchedulingResult } from './scheduling-message';

const messages = new Counter({
  name: 'groupware_calendar_scheduling_total',
  help: 'Events of scheduling messages that came by mail, by method and what became of them',
  labelNames: ['method', 'outcome'],
});

/** Methods of RFC 5546; a message may claim anything. */
const METHODS = new Set(['REQUEST', 'REPLY', 'CANCEL', 'ADD', 'REFRESH', 'COUNTER', 'DECLINECOUNTER', 'PUBLISH']);

/** Counts an event of a message. */
export const countScheduling = (method: string, outcome: SchedulingResult | 'unreadable'): void =>
  messages.inc({ method: METHODS.has(method) ? method : 'other', outcome });
