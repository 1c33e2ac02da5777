/** A longer header tells no results, characters. */
const MAX_LENGTH = 8_192;
const BLANK = /\s/;

/** Result of one method that a server examined a mail by. */
export interface AuthenticationResult {
  /** Lower case, without its version. */
  readonly method: string;
  /** Lower case. */
  readonly result: string;
  /** In words: what it calls the reason, else its first comment; empty without one. */
  readonly reason: string;
  /** Values by type and property in lower case, such as `header.d`. */
  readonly properties: ReadonlyMap<string, string>;
}

/**
 * Results of a header Authentication-Results (RFC 8601 §2.2), as far as they can be read; undefined for a server that is not
 * trusted. Texts of any kind are read in linear time.
 * @param isTrusted of the id of a server
 */
export function parseAuthenticationResults(
  text: string,
  isTrusted: (authServId: string) => boolean,
): AuthenticationResult[] | undefined {
  const scanner = new Scanner(text.slice(0, MAX_LENGTH));
  scanner.skipBlanks();
  const authServId = scanner.readWord(';=');
  scanner.skipBlanks();
  // Some servers leave out their id.
  if (!authServId || scanner.isAt('=') || !isTrusted(authServId)) return undefined;
  if (text.length > MAX_LENGTH) return [];
  const results: AuthenticationResult[] = [];
  // The version of the header stands before the first result.
  readResult(scanner);
  while (scanner.skipCharacter(';')) {
    const result = readResult(scanner);
    if (result) results.push(result);
  }
  return results;
}

/** Reads to the end of a result; undefined where none stands, as in `none`. */
function readResult(scanner: Scanner): AuthenticationResult | undefined {
  const head = readPair(scanner);
  if (!head) return undefined;
  let reason = '';
  const properties = new Map<string, string>();
  for (let pair = readPair(scanner); pair; pair = readPair(scanner)) {
    if (pair.name === 'reason') reason ||= pair.value;
    else if (!properties.has(pair.name)) properties.set(pair.name, pair.value);
  }
  const method = head.name.split('/', 1)[0]!;
  if (!method || !head.value) return undefined;
  return { method, result: head.value.toLowerCase(), reason: reason || head.comment, properties };
}

/** Reads a name, its value and the comment behind it; undefined at the end of a result. */
function readPair(scanner: Scanner): { name: string; value: string; comment: string } | undefined {
  let name = '';
  for (;;) {
    scanner.skipBlanks();
    if (scanner.isAt(';') || scanner.isAt('')) return undefined;
    if (scanner.skipCharacter('=')) break;
    const word = scanner.readWord(';=');
    // Blanks may stand around the dot of a property and the slash of a version. Other words mean nothing.
    const isJoined = /^[./]/.test(word) || name.endsWith('.') || name.endsWith('/');
    name = isJoined ? name + word : word;
  }
  scanner.skipBlanks();
  // Unquoted addresses and digests may hold "=".
  const value = scanner.readWord(';');
  return { name: name.toLowerCase(), value, comment: scanner.skipBlanks() };
}

/** Reads the words of a structured header (RFC 5322 §3.2). */
class Scanner {
  private at = 0;

  constructor(private readonly text: string) {}

  /** Whether a character comes next; the empty one is the end. */
  isAt(character: string): boolean {
    return this.text.charAt(this.at) === character;
  }

  /** Skips a character where it comes next. */
  skipCharacter(character: string): boolean {
    const isThere = this.isAt(character);
    if (isThere) this.at++;
    return isThere;
  }

  /** Skips blanks and comments; answers the first comment that is not empty. */
  skipBlanks(): string {
    let comment = '';
    for (;;) {
      while (BLANK.test(this.text.charAt(this.at))) this.at++;
      if (!this.isAt('(')) return comment;
      comment ||= this.readComment().trim();
    }
  }

  /** Reads up to a blank, a comment or one of some characters; what is quoted is read whole. */
  readWord(stops: string): string {
    let word = '';
    while (!this.isAt('') && !this.isAt('(')) {
      const character = this.text.charAt(this.at);
      if (BLANK.test(character) || stops.includes(character)) break;
      if (character === '"') word += this.readQuoted();
      else {
        word += character;
        this.at++;
      }
    }
    return word;
  }

  private readQuoted(): string {
    let content = '';
    for (this.at++; !this.isAt('') && !this.skipCharacter('"'); this.at++) {
      if (this.isAt('\\')) this.at++;
      content += this.text.charAt(this.at);
    }
    return content;
  }

  private readComment(): string {
    const start = this.at + 1;
    let depth = 0;
    for (; !this.isAt(''); this.at++) {
      if (this.isAt('\\')) this.at++;
      else if (this.isAt('(')) depth++;
      else if (this.isAt(')') && --depth === 0) return this.text.slice(start, this.at++);
    }
    return this.text.slice(start);
  }
}
