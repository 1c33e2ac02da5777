import { plain, upload } from '../../kit';
import { ContextErrors, ProvisioningErrors } from '../identity.errors';
import { JobPage } from '../installation.models';
import { ImportedPasswords, Job } from '../provisioning.models';
import { ContextPath, JobPath, JobListQuery, TakePasswordsQuery, ImportQuery } from '../provisioning.queries';
import { operationAt, WITHIN_CONTEXT } from './provisioning-operation';

const { notFound: noContext } = ContextErrors;
const MAX_IMPORT_BYTES = 100 * 1024 * 1024;

/** Imports and other jobs of a context. */
export const jobOperations = {
  importObjects: operationAt(ContextPath, ImportQuery, {
    http: 'POST',
    path: '/{context-id}/import',
    callers: WITHIN_CONTEXT,
    idempotency: 'own',
    doc: 'Imports users, groups or resources from a CSV or LDIF file. Rows that fail do not stop the others',
    body: upload(undefined, { maxBytes: MAX_IMPORT_BYTES }),
    reply: plain<Job>(Job, { status: 202 }),
    errors: [
      noContext,
      ProvisioningErrors.keyReused,
      ProvisioningErrors.tooManyWouldBeDisabled,
      ProvisioningErrors.invalidField,
    ],
    deadlineMs: 600_000,
  }),
  takePasswords: operationAt(JobPath, TakePasswordsQuery, {
    http: 'POST',
    path: '/{context-id}/jobs/{job-id}/passwords',
    callers: WITHIN_CONTEXT,
    idempotency: 'own',
    doc: 'Hands over the passwords and invitations that an import made, each once, encrypted for the key that its call named',
    reply: plain<ImportedPasswords>(ImportedPasswords),
    errors: [ProvisioningErrors.jobNotFound, ProvisioningErrors.keyReused],
  }),
  listJobs: operationAt(ContextPath, JobListQuery, {
    http: 'GET',
    path: '/{context-id}/jobs',
    callers: WITHIN_CONTEXT,
    doc: 'Lists jobs of the context, the newest first',
    reply: plain<JobPage>(JobPage),
  }),
  cancelJob: operationAt(JobPath, undefined, {
    http: 'DELETE',
    path: '/{context-id}/jobs/{job-id}',
    callers: WITHIN_CONTEXT,
    doc: 'Ends a job at its next step; what it did stays done',
    reply: plain<Job>(Job),
    errors: [ProvisioningErrors.jobNotFound],
  }),
  getJob: operationAt(JobPath, undefined, {
    http: 'GET',
    path: '/{context-id}/jobs/{job-id}',
    callers: WITHIN_CONTEXT,
    doc: 'How far a job is',
    reply: plain<Job>(Job),
    errors: [ProvisioningErrors.jobNotFound],
  }),
};
