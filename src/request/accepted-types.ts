/** The media types of `Accept` by weight, those of one weight in their order (RFC 9110, 12.5.1). None has weight 0. */
export function acceptedTypes(accept: string): string[] {
  const weighed = accept.split(',').map((part) => {
    const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))
    return { type, weight: weight ? Number(weight.slice(2)) : 1 }
  })
  const accepted = weighed.filter(({ weight }) => weight > 0)
  return accepted.toSorted((a, b) => b.weight - a.weight).map(({ type }) => type)
}
