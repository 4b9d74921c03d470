;(async () => {
  const storageKey = 'graphiql:token'
  const token = localStorage.getItem(storageKey)
  const content = await (await fetch('/v1/openapi.json')).json()
  const store = token && (await firstStore(token))
  // What is an example for a reader would be sent with each request that is tried.
  for (const parameter of Object.values(content.components.parameters)) delete parameter.example
  for (const operation of Object.values(content.paths).flatMap((methods) => Object.values(methods))) {
    const { name, href, document, variables } = operation['x-graphql']
    operation.description += `\n\nThe same in GraphQL: [open ${name} in GraphiQL](${href}).`
    const source = `${document}\n\n# Variables:\n${JSON.stringify(variables, null, 2).replaceAll(/^/gm, '# ')}`
    operation['x-codeSamples'] = [{ lang: 'graphql', label: 'GraphQL', source }]
    for (const parameter of operation.parameters) {
      if (store && parameter.name === 'store_uuid') parameter.example = store
    }
    if (operation['x-extension']) operation['x-badges'] = [{ name: 'beyond the specification' }]
  }

  async function firstStore(token) {
    const answer = await fetch('/v1/stores?limit=1', { headers: { authorization: `Bearer ${token}` } })
    return (await answer.json()).data.stores?.[0]?.store_uuid
  }

  /** Keeps a token that the user has entered into the reference and that is valid, as `token.js` keeps its own. */
  async function keepingToken(resource, options) {
    const request = new Request(resource, options)
    const token = request.headers.get('authorization')?.replace(/^Bearer\s*/, '')
    if (!token) request.headers.delete('authorization')
    const response = await fetch(request)
    if (token && response.ok) localStorage.setItem(storageKey, token)
    return response
  }

  window.Scalar.createApiReference('#reference', {
    content,
    agent: { disabled: true },
    authentication: {
      preferredSecurityScheme: 'bearer',
      securitySchemes: { bearer: { token: token ?? '' } },
    },
    customFetch: keepingToken,
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
