import { property } from '../kit';

/** Most stored subscriptions of one user. */
export const MAX_SUBSCRIPTIONS = property<number>({
  key: 'com.example.pns.maxSubscriptions',
  default: 100,
  min: 1,
  max: 1000,
  doc: 'Most push subscriptions of one user',
  scopes: ['user', 'context', 'server'],
});

/** Whether browsers may be told by Web Push. */
export const WEB_PUSH_ENABLED = property<boolean>({
  key: 'com.example.pns.transport.webpush.enabled',
  default: true,
  doc: 'Whether users may subscribe browsers by Web Push (RFC 8030)',
  scopes: ['user', 'context', 'server'],
});

/** Whether users may name webhooks. */
export const WEBHOOK_ENABLED = property<boolean>({
  key: 'com.example.pns.transport.webhook.enabled',
  default: true,
  doc: 'Whether users may subscribe signed webhooks',
  scopes: ['user', 'context', 'server'],
});
