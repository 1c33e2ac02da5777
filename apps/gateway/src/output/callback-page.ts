import type { Operation } from '@groupware/contracts';
import { first, type Parameters } from '../input/url';

/** Letters, digits and underscore: a name that can't leave the string it is written into. */
const CALLBACK = /^[A-Za-z0-9_]{1,64}$/;

/** Parameters by which clients ask for plain JSON (API page "Client behaviour", section 1). */
const JSON_PARAMETERS = ['plainJson', 'force_json_response'];
/** An Accept header that names JSON alone. */
const JSON_ONLY = /^\s*application\/json\s*(;[^,]*)?$/i;
const TRUE = /^(true|1)$/i;

/** Name of the function the page calls: `callback_<action>`, `callback_import` for imports, or the client's own. */
export function callbackName(operation: Operation | undefined, action: string, parameters: Parameters): string {
  const own = first(parameters, 'callback');
  if (own !== undefined && CALLBACK.test(own)) return own;
  const name = operation?.module === 'import' ? 'import' : (operation?.action ?? action);
  return `callback_${CALLBACK.test(name) ? name : 'error'}`;
}

/** False when the client asked for plain JSON instead of the page, or accepts nothing else. */
export function wantsPage(parameters: Parameters, accept = ''): boolean {
  const wantsJson = JSON_PARAMETERS.some((name) => TRUE.test(first(parameters, name) ?? ''));
  if (JSON_ONLY.test(accept)) return asksForPage(parameters);
  return !wantsJson && first(parameters, 'respondWithHTML')?.toLowerCase() !== 'false';
}

/** True when the client asked for the page by name. */
export const asksForPage = (parameters: Parameters): boolean =>
  first(parameters, 'respondWithHTML')?.toLowerCase() === 'true';

/**
 * Characters that could end the script element or the string they stand in. U+2028 and U+2029 end a line in old
 * browsers.
 */
const ESCAPED: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '/': '\\/',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/** JSON text that is safe inside a script element. `<`, `>` and `/` occur in JSON inside strings only. */
function scriptJson(json: string): string {
  // A slash that follows a backslash is escaped already (`\/`): keep pairs together.
  return json.replace(/\\.|[<>/\u2028\u2029]/gs, (match) => ESCAPED[match] ?? match);
}

/** The HTML page that answers a form upload: one call of the callback with the envelope. */
export function callbackPage(name: string, envelope: Buffer): Buffer {
  const json = scriptJson(envelope.toString('utf8'));
  return Buffer.from(
    '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" "http://www.w3.org/TR/html4/loose.dtd">' +
      '<html><head><META http-equiv="Content-Type" content="text/html; charset=UTF-8">\n' +
      '<script type="text/javascript">\n' +
      `(parent["${name}"] || window.opener && window.opener["${name}"])(${json})\n` +
      '</script></head></html>',
  );
}
