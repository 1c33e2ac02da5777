import { Setting } from '@groupware/service-kit';
import { IsInt, Min } from 'class-validator';

/** Settings of the sweep of files that no snippet has. */
export class SnippetSettings {
  @Setting({ env: 'MAIL_SNIPPET_SWEEP_INTERVAL_MS', doc: 'Time between two sweeps of files of snippets, ms; 0: none' })
  @IsInt()
  @Min(0)
  sweepIntervalMs = 300_000;

  @Setting({
    env: 'MAIL_SNIPPET_SWEEP_AGE_MS',
    doc: 'Age from which files are removed that no snippet has, ms; more than the move of a context may take',
  })
  @IsInt()
  @Min(1000)
  sweepAgeMs = 86_400_000;

  @Setting({
    env: 'MAIL_SNIPPET_INCOMING_AGE_MS',
    doc: 'Age from which uploads that nobody claimed are removed, ms; more than any call with an upload may take',
  })
  @IsInt()
  @Min(1000)
  incomingAgeMs = 1_800_000;
}
