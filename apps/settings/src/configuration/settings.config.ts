import { Setting } from '@groupware/service-kit';
import { IsInt, IsString, Max, Min } from 'class-validator';

/** Settings of the settings service. */
export class SettingsConfig {
  @Setting({
    env: 'SETTINGS_CLIENT_FILE',
    doc: 'YAML file with what operators give clients: `serverConfig` by host (`all` for every one), and `trees` of settings by path; empty: none. Changes apply without a restart',
  })
  @IsString()
  clientFile = '';

  @Setting({ env: 'SETTINGS_MAX_TREE_BYTES', doc: 'Largest tree of settings that a client stores, bytes of JSON' })
  @IsInt()
  @Min(1_024)
  @Max(4_194_304)
  maxTreeBytes = 262_144;

  @Setting({
    env: 'SETTINGS_MAX_USER_BYTES',
    doc: 'Most bytes of JSON in all trees of settings of one user, who may ask for them at once',
  })
  @IsInt()
  @Min(4_096)
  @Max(16_777_216)
  maxUserBytes = 2_097_152;

  @Setting({ env: 'SETTINGS_MAX_TREE_DEPTH', doc: 'Most levels of objects and lists within a tree of settings' })
  @IsInt()
  @Min(2)
  @Max(200)
  maxTreeDepth = 32;

  @Setting({ env: 'SETTINGS_MAX_TREES', doc: 'Most trees of settings of one user' })
  @IsInt()
  @Min(20)
  @Max(10_000)
  maxTrees = 200;

  @Setting({
    env: 'SETTINGS_OWNER_TIMEOUT_MS',
    doc: 'Longest time that overviews over all modules (limits, reminders) wait for one module, ms; a slower one is missing in the answer',
  })
  @IsInt()
  @Min(100)
  @Max(60_000)
  ownerTimeoutMs = 5_000;
}
