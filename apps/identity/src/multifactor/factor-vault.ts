import { Injectable } from '@nestjs/common';
import { SecretKeySettings } from '@groupware/service-kit';
import { SealedText } from '@groupware/sessions';
import type { FactorDevice } from './factor-device.repository';
import type { FactorFacts } from './factor-provider';

/** Seals what devices must keep secret, each for its own row: a value moved elsewhere does not open. */
@Injectable()
export class FactorVault {
  private readonly seal: SealedText;

  constructor(keys: SecretKeySettings) {
    this.seal = new SealedText(keys.secretKeys(), 'second-factor');
  }

  /** The sealed form. */
  close(contextId: number, device: Pick<FactorDevice, 'id' | 'userId'>, facts: FactorFacts): string {
    return this.seal.seal(JSON.stringify(facts), ownerOf(contextId, device));
  }

  /** The facts. @throws when they were sealed with a key that is gone, or moved here from another row */
  open(contextId: number, device: FactorDevice): FactorFacts {
    const text = this.seal.open(device.secret, ownerOf(contextId, device));
    if (text === undefined) throw new Error(`the secret of device ${device.id} does not open`);
    return JSON.parse(text) as FactorFacts;
  }
}

const ownerOf = (contextId: number, { id, userId }: Pick<FactorDevice, 'id' | 'userId'>): string =>
  `${contextId}/${userId}/${id}`;
