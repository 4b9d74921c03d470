/**
 * Starts Prism as a validation proxy before `upstream`. Its answers have a header `sl-violations` for what breaks the
 * document.
 */
export function startValidationProxy(
  document: object,
  upstream: string,
): Promise<{ url: string; close(): Promise<void> }>
