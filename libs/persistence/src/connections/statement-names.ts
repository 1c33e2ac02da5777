/** Texts that get a name, per process. Each costs memory in every connection. */
const MAX_NAMED = 500;
const MAX_SEEN_ONCE = 2_000;

/**
 * Names for prepared statements. Only texts that come back get one, and only a bounded number: column lists and id lists
 * make endless texts, each of which would stay in every connection for ever.
 */
export class StatementNames {
  private readonly names = new Map<string, string>();
  private readonly seenOnce = new Set<string>();

  constructor(private readonly maxNamed = MAX_NAMED) {}

  /** The name of a text, or undefined when it must be sent without one. */
  nameOf(text: string): string | undefined {
    const known = this.names.get(text);
    if (known || this.names.size >= this.maxNamed) return known;
    if (!this.seenOnce.delete(text)) {
      if (this.seenOnce.size >= MAX_SEEN_ONCE) this.seenOnce.clear();
      this.seenOnce.add(text);
      return undefined;
    }
    const name = `s${this.names.size}`;
    this.names.set(text, name);
    return name;
  }
}
