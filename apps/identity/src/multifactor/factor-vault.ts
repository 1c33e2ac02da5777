import { Injectable } from '@nestjs/common';
import { SecretKeySettings } from '@groupware/service-kit';
import { SealedText } from '@groupware/sessions';
import type { FactorDevice } from './factor-device.repository';
import type { FactorFacts } from './factor-provider';

/** Seals facts of devices, bound to their row: a value moved elsewhere does not open. */
@Injectable()
export class FactorVault {
  private readonly seal: SealedText;

  constructor(keys: SecretKeySettings) {
    this.seal = new SealedText(keys.secretKeys(), 'second-factor');
  }

  /** The sealed form. */
  sealFacts(contextId: number, device: Pick<FactorDevice, 'id' | 'userId'>, facts: FactorFacts): string {
    return this.seal.seal(JSON.stringify(facts), toSealOwner(contextId, device));
  }

  /** Unseals facts. @throws when their key is gone or they were moved from another row */
  unsealFacts(contextId: number, device: FactorDevice): FactorFacts {
    const text = this.seal.open(device.secret, toSealOwner(contextId, device));
    // eslint-disable-next-line groupware/no-stray-errors -- an unforeseen state: keys are lost or rows were moved
    if (text === undefined) throw new Error(`the secret of device ${device.id} does not open`);
    return JSON.parse(text) as FactorFacts;
  }

  /** Seals facts again with the newest key; undefined when their key is gone. */
  resealFacts(contextId: number, device: Pick<FactorDevice, 'id' | 'userId' | 'secret'>): string | undefined {
    return this.seal.reseal(device.secret, toSealOwner(contextId, device));
  }
}

const toSealOwner = (contextId: number, { id, userId }: Pick<FactorDevice, 'id' | 'userId'>): string =>
  `${contextId}/${userId}/${id}`;
