// Starts GraphiQL, which reads `query` from the address and the rest from what the browser keeps, once a token is
// known.
;(async () => {
  // By GET, so that the browser keeps the schema until it changes.
  const send = window.fetch
  window.fetch = (resource, options) => {
    const { query, operationName } = typeof options?.body === 'string' ? JSON.parse(options.body) : {}
    if (operationName !== 'IntrospectionQuery') return send(resource, options)
    return send(`${resource}?${new URLSearchParams({ query, operationName })}`)
  }
  const operations = JSON.parse(document.getElementById('operations').textContent)
  const { source } = document.getElementById('opening').dataset
  // The examples are of a store that the token has, if it has one.
  const found = await fetch('/v1/stores?limit=1')
    .then((answer) => answer.json())
    .catch(() => undefined)
  const store = found?.data?.stores?.[0]?.store_uuid
  const filled = (text) => (store ? text?.replaceAll(/019aa000-0000-7000-8000-\d{12}/g, store) : text)
  const address = new URL(location.href)
  const wanted = operations.find(({ name }) => name === address.searchParams.get('operation'))
  const variables = filled(wanted?.variables) ?? address.searchParams.get('variables')
  if (wanted) address.searchParams.set('query', wanted.query)
  if (variables) localStorage.setItem('graphiql:variables', variables)
  else if (address.searchParams.has('query')) localStorage.removeItem('graphiql:variables')
  address.searchParams.delete('operation')
  address.searchParams.delete('variables')
  history.replaceState({}, '', address)
  // Without a query of its own GraphiQL opens an empty tab beside the kept ones at each visit.
  localStorage['graphiql:query'] ??= operations[0].query
  // Its own default tabs know no other beginning than the first; among kept ones it finds that of the address.
  const blank = { hash: null, headers: null, operationName: null, response: null }
  const tabs = operations.map(({ name, query, variables = '' }) => ({
    ...blank,
    id: name,
    title: name,
    query,
    variables: filled(variables),
  }))
  localStorage['graphiql:tabState'] ??= JSON.stringify({ tabs, activeTabIndex: 0 })
  document.body.append(Object.assign(document.createElement('script'), { src: source }))
})()
