import type { ImportedItem, JsonText } from '@groupware/contracts';
import { TextPieces } from '@groupware/service-kit';

/** Results of an import in the order of its file, of which there may be a hundred thousand: they are kept as the text of the answer. */
export class ImportResults {
  /** Those before which one is missing, by entry. */
  private readonly waiting = new Map<number, ImportedItem>();
  private readonly written = new TextPieces();
  private next = 0;
  private isEmpty = true;

  /** Takes the result of an entry. */
  set(index: number, item: ImportedItem): void {
    this.waiting.set(index, item);
    for (let found = this.waiting.get(this.next); found; found = this.waiting.get(this.next)) {
      this.write(found);
      this.waiting.delete(this.next);
      this.next += 1;
    }
  }

  /** The answer: a list of all results. */
  toJson(): JsonText {
    for (const [, item] of [...this.waiting].sort(([left], [right]) => left - right)) this.write(item);
    this.written.add(this.isEmpty ? '[]' : ']');
    return this.written.toJson();
  }

  private write(item: ImportedItem): void {
    this.written.add((this.isEmpty ? '[' : ',') + JSON.stringify(item));
    this.isEmpty = false;
  }
}
