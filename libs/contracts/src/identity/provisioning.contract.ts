import { defineModule } from '../kit';
import { contextOperations } from './provisioning/context-operations';
import { entityOperations } from './provisioning/entity-operations';
import { jobOperations } from './provisioning/job-operations';
import { userOperations } from './provisioning/user-operations';

/**
 * Provisioning: contexts and what lives in them. Every POST takes an Idempotency-Key; every change and deletion of what has a
 * version takes an If-Match.
 */
export const provisioning = defineModule(
  'provisioning',
  { ...contextOperations, ...userOperations, ...entityOperations, ...jobOperations },
  { service: 'identity' },
);
