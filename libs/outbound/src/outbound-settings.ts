import { Setting } from '@groupware/service-kit';
import { IsInt, Max, Min, Validate, ValidatorConstraint, type ValidatorConstraintInterface } from 'class-validator';
import { readRange } from './address-rule';
import { readPorts } from './ports';

@ValidatorConstraint({ name: 'addressRanges' })
class AddressRanges implements ValidatorConstraintInterface {
  validate(value: unknown): boolean {
    return Array.isArray(value) && value.every((text) => readRange(String(text)) !== undefined);
  }
  defaultMessage(): string {
    return 'must be addresses or ranges such as 10.1.0.0/16, separated by commas';
  }
}

/** A list of ports and port ranges. */
@ValidatorConstraint({ name: 'ports' })
export class Ports implements ValidatorConstraintInterface {
  validate(value: unknown): boolean {
    return Array.isArray(value) && value.every((text) => readPorts(String(text)) !== undefined);
  }
  defaultMessage(): string {
    return 'must be ports or ranges such as 143,993,10000-10999';
  }
}

/** Settings of all connections to hosts that users can name. */
export class OutboundSettings {
  @Setting({
    env: 'GROUPWARE_OUTBOUND_ALLOW',
    doc: 'Address ranges outside the public internet that may be connected to, such as own mail servers. Metadata services of clouds are in no range: each would have to be named by itself',
  })
  @Validate(AddressRanges)
  allow: string[] = [];

  @Setting({ env: 'GROUPWARE_OUTBOUND_DENY', doc: 'Address ranges that are refused although they are public' })
  @Validate(AddressRanges)
  deny: string[] = [];

  @Setting({ env: 'GROUPWARE_OUTBOUND_WEB_PORTS', doc: 'Ports for HTTP to hosts that users name' })
  @Validate(Ports)
  webPorts: string[] = ['80', '443'];

  @Setting({
    env: 'GROUPWARE_OUTBOUND_DNS',
    doc: 'Name servers, address or address:port; default: those of the machine',
  })
  dnsServers: string[] = [];

  @Setting({ env: 'GROUPWARE_OUTBOUND_CA_FILE', doc: 'Further certificate authorities to trust, PEM' })
  caFile = '';

  @Setting({ env: 'GROUPWARE_OUTBOUND_TIMEOUT_MS', doc: 'Longest time of one connection attempt or HTTP request, ms' })
  @IsInt()
  @Min(100)
  @Max(120_000)
  timeoutMs = 10_000;

  @Setting({
    env: 'GROUPWARE_OUTBOUND_FAILURE_STEP_MS',
    doc: 'Failures are answered after a multiple of this time, so that their causes look alike, ms; 0: at once',
  })
  @IsInt()
  @Min(0)
  @Max(10_000)
  failureStepMs = 1_000;

  @Setting({ env: 'GROUPWARE_OUTBOUND_MAX_BYTES', doc: 'Largest HTTP answer unless the caller says otherwise, bytes' })
  @IsInt()
  @Min(1024)
  maxBytes = 1_048_576;

  @Setting({ env: 'GROUPWARE_OUTBOUND_MAX_REDIRECTS', doc: 'Most redirects of one HTTP request' })
  @IsInt()
  @Min(0)
  @Max(20)
  maxRedirects = 5;

  @Setting({
    env: 'GROUPWARE_OUTBOUND_PER_MINUTE',
    doc: 'Most attempts per minute, process and user; those that a storage of a checked account answers are not counted',
  })
  @IsInt()
  @Min(1)
  perMinute = 600;
}
