import type { ReadProperty } from './component';
import type { ItemWarning, ItemWarningCode } from './imported-item';

/** The warnings of one component. */
export class ItemWarnings {
  private readonly warned = new Set<string>();

  constructor(private readonly report: (warning: ItemWarning) => void) {}

  /** Once for each property name and code (and `key`). */
  warn(code: ItemWarningCode, message: string, property?: ReadProperty, key?: string): void {
    const seen = key === undefined ? `${code} ${property?.name}` : `${code} ${key}`;
    if (this.warned.has(seen)) return;
    this.warned.add(seen);
    this.report({ code, message, property: property?.name, line: property?.line });
  }
}
