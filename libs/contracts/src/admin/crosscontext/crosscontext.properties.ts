import { property } from '../../kit';

/** Zones in which contexts trust each other. */
export const TRUST_ZONES = property<string>({
  key: 'com.example.crosscontext.trustZones',
  default: '',
  scopes: ['user', 'context', 'server'],
  doc: 'Comma list of zones in which a user may act in accounts of other contexts: both sides need a zone in common.',
});
