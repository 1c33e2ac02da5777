import { PushErrors } from '@groupware/contracts';
import type { StreamSettings } from './stream-settings';

/** Places for open streams in this process: in all, by user and by client address. */
export class StreamLimits {
  private readonly counts = new Map<string, number>();

  constructor(private readonly settings: Pick<StreamSettings, 'max' | 'perUser' | 'perAddress'>) {}

  /** Takes a place; the answer gives it back. @throws PNS-9006 */
  enter(user: string, address: string): () => void {
    const wanted: [string, number, string][] = [
      ['all', this.settings.max, 'server'],
      [`user ${user}`, this.settings.perUser, 'user'],
      [`address ${address}`, this.settings.perAddress, 'address'],
    ];
    for (const [key, limit, what] of wanted)
      if ((this.counts.get(key) ?? 0) >= limit)
        throw PushErrors.tooManyStreams(limit, what).with({ headers: { 'Retry-After': '30' } });
    for (const [key] of wanted) this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      for (const [key] of wanted) {
        const left = this.counts.get(key)! - 1;
        if (left > 0) this.counts.set(key, left);
        else this.counts.delete(key);
      }
    };
  }
}
