import { createHash, randomBytes } from 'node:crypto';

/** Longest name that a mail gives, characters, without the prefix that it got where it was quoted. */
const MAX_NAME_LENGTH = 100;
/** Prefix of names: the id of the element that stands for a mail, which is shown, or quoted in one (`q`). */
const PREFIX = /^svc-q?[0-9a-f]{10}(?=-|$)/;
const ELEMENT_ID = /^svc-q?[0-9a-f]{10}$/;

/** Whether an id is that of an element which stands for a mail, shown or quoted. */
export const standsForMail = (id: string): boolean => ELEMENT_ID.test(id);

/**
 * Makes the classes and ids of a mail different from all others of the page around it, those of other mails included.
 *
 * The id of the element that stands for the mail is random: a mail can neither guess it, nor have learned it where it was
 * quoted. Names get it as prefix. Names of mails quoted within have a prefix already, which is not prefixed again but
 * replaced by one of the same length that depends on both: names stay as long as they are however often they are quoted,
 * those of different mails stay different, and none of this form equals one outside of the mail.
 */
export class MailNames {
  /** Id of the element that stands for the mail, and that all rules are restricted to; undefined when the mail has a page of its own. */
  readonly rootId?: string;
  private readonly prefixes = new Map<string, string>();

  /** @param embedded false when the mail has a page of its own, where it keeps its names */
  constructor(embedded: boolean) {
    if (embedded) this.rootId = `svc-${randomBytes(5).toString('hex')}`;
  }

  /** A class or id as it is written; undefined for those too long to be kept. */
  toWritten(name: string): string | undefined {
    const prefix = PREFIX.exec(name)?.[0];
    const length = prefix === undefined ? name.length : name.length - prefix.length - 1;
    if (length > MAX_NAME_LENGTH) return undefined;
    if (this.rootId === undefined) return name;
    return prefix === undefined
      ? `${this.rootId}-${name}`
      : this.toQuoted(this.rootId, prefix) + name.slice(prefix.length);
  }

  private toQuoted(rootId: string, prefix: string): string {
    let quoted = this.prefixes.get(prefix);
    if (quoted === undefined) {
      // The letter makes it another than the id of any mail that is shown.
      quoted = `svc-q${createHash('sha256').update(`${rootId} ${prefix}`).digest('hex').slice(0, 10)}`;
      this.prefixes.set(prefix, quoted);
    }
    return quoted;
  }
}
