import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace'

/** The sampler named by OTEL_TRACES_SAMPLER, with the ratio of OTEL_TRACES_SAMPLER_ARG. By default the caller decides; without a caller's trace every request is sampled. */
export function samplerOf(env: Record<string, string | undefined>): Sampler {
  const { OTEL_TRACES_SAMPLER: name = 'parentbased_always_on', OTEL_TRACES_SAMPLER_ARG: ratio = '1' } = env
  const root = roots[name.replace(/^parentbased_/, '')]?.(ratio)
  if (!root) throw new Error(`OTEL_TRACES_SAMPLER must be one of ${known}; got ${JSON.stringify(name)}`)
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root
}

const roots: Record<string, (ratio: string) => Sampler> = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: (text) => {
    const ratio = Number(text)
    if (ratio >= 0 && ratio <= 1) return new TraceIdRatioBasedSampler(ratio)
    throw new Error(`OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1; got ${JSON.stringify(text)}`)
  },
}

const known = Object.keys(roots)
  .flatMap((name) => [name, `parentbased_${name}`])
  .join(', ')
