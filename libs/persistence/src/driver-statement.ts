import type { DriverStatement } from './statement-batch';
import { StatementNames } from './statement-names';
import { unparsed, valueTypes } from './value-types';

/** How the values of a result are delivered. */
export type ResultMode = 'rows' | 'objects' | 'text';

const names = new StatementNames();

/** A statement for the driver; a text that comes back is prepared once for each connection. */
export const driverStatement = (mode: ResultMode, sql: string, params: readonly unknown[]): DriverStatement => ({
  name: names.nameOf(sql),
  text: sql,
  values: params as unknown[],
  ...(mode === 'objects' ? {} : { rowMode: 'array' }),
  types: mode === 'text' ? unparsed : valueTypes,
});
