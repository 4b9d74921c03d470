;(async () => {
  const token = catalogue.token()
  const content = await (await fetch('/v1/openapi.json')).json()
  // Without a token the reference can be read: none is asked for.
  const store = token && (await catalogue.pickStore())
  // What is an example for a reader would be sent with each request that is tried.
  for (const parameter of Object.values(content.components.parameters)) delete parameter.example
  for (const operation of Object.values(content.paths).flatMap((methods) => Object.values(methods))) {
    const { name, href, document, variables } = operation['x-graphql']
    operation.description += `\n\nThe same in GraphQL: [open ${name} in GraphiQL](${href}).`
    const source = `${document}\n\n# Variables:\n${JSON.stringify(variables, null, 2).replaceAll(/^/gm, '# ')}`
    operation['x-codeSamples'] = [{ lang: 'graphql', label: 'GraphQL', source }]
    for (const parameter of operation.parameters) {
      if (store && parameter.name === 'store_uuid') parameter.example = store
      // A request that is tried changes nothing unless its sender says so.
      if (parameter.name === 'dry_run') parameter.example = true
    }
    if (operation['x-extension']) operation['x-badges'] = [{ name: 'beyond the specification' }]
  }

  /** The bar keeps the token, which the reference may not have yet. */
  function withToken(resource, options) {
    const request = new Request(resource, options)
    if (!/^Bearer\s+\S/.test(request.headers.get('authorization'))) request.headers.delete('authorization')
    return fetch(request)
  }

  window.Scalar.createApiReference('#reference', {
    content,
    agent: { disabled: true },
    authentication: {
      preferredSecurityScheme: 'bearer',
      securitySchemes: { bearer: { token: token ?? '' } },
    },
    customFetch: withToken,
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    documentDownloadType: 'none',
    hideClientButton: true,
    hideModels: true,
    mcp: { disabled: true },
    showDeveloperTools: 'never',
    telemetry: false,
    withDefaultFonts: false,
  })
})()
