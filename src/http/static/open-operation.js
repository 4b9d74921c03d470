// Runs before GraphiQL, which reads `query` from the address and the rest from what the browser keeps.
;(() => {
  const operations = JSON.parse(document.getElementById('operations').textContent)
  const address = new URL(location.href)
  const wanted = operations.find(({ name }) => name === address.searchParams.get('operation'))
  const variables = wanted?.variables ?? address.searchParams.get('variables')
  if (wanted) address.searchParams.set('query', wanted.query)
  if (variables) localStorage.setItem('graphiql:variables', variables)
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
    variables,
  }))
  localStorage['graphiql:tabState'] ??= JSON.stringify({ tabs, activeTabIndex: 0 })
})()
