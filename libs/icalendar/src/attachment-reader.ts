import type { CalendarAttachment } from './calendar-event';
import type { ReadProperty } from './component';
import { otherParameters, parameterText } from './content-line';
import { parseInteger } from './values';

const FILE_NAME_PARAMETERS = ['filename', 'x-filename', 'x-apple-filename', 'x-oracle-filename'];

/** Reads ATTACH; nothing when it is empty. */
export function readAttachment({ raw, value }: ReadProperty): CalendarAttachment | undefined {
  const content = value.trim();
  if (content === '') return undefined;
  const [, parameters, type] = raw;
  const inline = type === 'binary' || parameterText(parameters, 'encoding')?.toUpperCase() === 'BASE64';
  const fileNameParameter = FILE_NAME_PARAMETERS.find((name) => parameterText(parameters, name) !== undefined);
  return {
    uri: inline ? undefined : content,
    data: inline ? content.replace(/\s+/g, '') : undefined,
    formatType: parameterText(parameters, 'fmttype'),
    fileName: fileNameParameter && parameterText(parameters, fileNameParameter),
    size: parseInteger(parameterText(parameters, 'size') ?? '', 0, Number.MAX_SAFE_INTEGER),
    managedId: parameterText(parameters, 'managed-id'),
    parameters: otherParameters(parameters, [
      'encoding',
      'fmttype',
      'size',
      'managed-id',
      ...(fileNameParameter ? [fileNameParameter] : []),
    ]),
  };
}
