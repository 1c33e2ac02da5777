import { IsInt, IsUrl, Max, Min, ValidateIf } from 'class-validator';
import { Setting } from '../config/setting';

/** Settings of tracing. */
export class TracingSettings {
  @Setting({
    env: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    doc: 'OpenTelemetry collector (OTLP over HTTP) that gets the traces, such as http://collector:4318; empty: no tracing. OTEL_EXPORTER_OTLP_HEADERS adds headers',
  })
  @ValidateIf((settings: TracingSettings) => settings.endpoint !== '')
  @IsUrl({ require_tld: false, require_protocol: true, protocols: ['http', 'https'] })
  endpoint = '';

  @Setting({ env: 'OTEL_SERVICE_NAME', doc: 'Name of the process in traces; empty: groupware and its modules' })
  serviceName = '';

  @Setting({
    env: 'TRACING_SAMPLE_PERCENT',
    doc: 'Share of the requests without a traceparent that are traced; those with one follow its flag',
  })
  @IsInt()
  @Min(0)
  @Max(100)
  samplePercent = 10;
}
