import { Secret, Setting } from '@groupware/service-kit';
import { IsInt, Matches, Max, Min } from 'class-validator';

/** Settings of deliveries to browsers and webhooks. */
export class DeliveryConfig {
  @Setting({
    env: 'PUSH_VAPID_PRIVATE_KEY',
    doc: 'Private key of Web Push (RFC 8292), 32 bytes in base64url; default: one that is made at the first start and kept sealed in the database',
    type: 'secret',
  })
  vapidPrivateKey = new Secret('');

  @Setting({ env: 'PUSH_VAPID_PUBLIC_KEY', doc: 'Public key that belongs to PUSH_VAPID_PRIVATE_KEY, base64url' })
  vapidPublicKey = '';

  @Setting({
    env: 'PUSH_VAPID_SUBJECT',
    doc: 'How push services reach the operator: a mailto: or https: address (RFC 8292, section 2.1)',
  })
  @Matches(/^(mailto:[^@]+@.+|https:\/\/.+)$/)
  vapidSubject = 'mailto:postmaster@localhost.localdomain';

  @Setting({
    env: 'PUSH_DEBOUNCE_MS',
    doc: 'A subscription is called at most once within this time; what happens meanwhile goes together, ms',
  })
  @IsInt()
  @Min(0)
  @Max(600_000)
  debounceMs = 5_000;

  @Setting({ env: 'PUSH_BURST', doc: 'Most notices in one call of a subscription' })
  @IsInt()
  @Min(1)
  @Max(50)
  burst = 5;

  @Setting({
    env: 'PUSH_RETRY_MS',
    doc: 'Pause before a failed call is repeated, ms; it doubles each time, up to an hour',
  })
  @IsInt()
  @Min(10)
  retryMs = 5_000;

  @Setting({ env: 'PUSH_MAX_ATTEMPTS', doc: 'A subscription that failed so often in a row is removed' })
  @IsInt()
  @Min(1)
  @Max(100)
  maxAttempts = 20;

  @Setting({ env: 'PUSH_DELIVERY_LIFE_MS', doc: 'What could not be delivered for so long is given up, ms' })
  @IsInt()
  @Min(60_000)
  lifeMs = 86_400_000;

  @Setting({ env: 'PUSH_DELIVERIES', doc: 'Calls of subscriptions under way at the same time in one process' })
  @IsInt()
  @Min(1)
  @Max(500)
  parallel = 20;

  @Setting({ env: 'PUSH_CALL_TIMEOUT_MS', doc: 'Longest time of one call of a subscription, ms' })
  @IsInt()
  @Min(100)
  @Max(60_000)
  timeoutMs = 10_000;
}
