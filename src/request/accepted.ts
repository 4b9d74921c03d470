/** What `Accept` or `Accept-Encoding` names, by weight, then in its order; nothing of weight 0 (RFC 9110, 12.4.2). */
export function acceptedOf(header: string): string[] {
  const weighed = header.split(',').map((part) => {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))
    return { name, weight: weight ? Number(weight.slice(2)) : 1 }
  })
  const accepted = weighed.filter(({ weight }) => weight > 0)
  return accepted.toSorted((a, b) => b.weight - a.weight).map(({ name }) => name)
}
