;(() => {
  for (const place of document.querySelectorAll('.base')) place.textContent = location.origin

  // A page of plain HTTP on another host has no clipboard.
  for (const block of navigator.clipboard ? document.querySelectorAll('pre') : []) {
    const button = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Copy' })
    const text = block.textContent
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(text)
      button.textContent = 'Copied'
    })
    block.append(button)
  }

  if (catalogue.token()) showNumbers()

  async function showNumbers() {
    const query = '{ stores(first: 20) { totalCount nodes { storeUuid storeName productCounts { count } } } }'
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch('/graphql', { method: 'POST', headers, body: JSON.stringify({ query }) })
    const said = document.getElementById('numbers-text')
    if (answer.status === 401) {
      said.textContent = 'The token that this browser keeps is not valid.'
      return
    }
    const { stores } = (await answer.json()).data ?? {}
    if (!stores) return
    const sum = (counts) => counts.reduce((total, { count }) => total + count, 0)
    const { totalCount, nodes } = stores
    said.textContent = `${inWords(totalCount, 'store')}${totalCount > nodes.length ? `, of which the first ${nodes.length}` : ''}:`
    const rows = nodes.map(({ storeUuid, storeName, productCounts }) => {
      const row = document.createElement('tr')
      const uuid = Object.assign(document.createElement('code'), { textContent: storeUuid })
      const links = ['graphql', 'docs'].map((page) =>
        Object.assign(document.createElement('a'), {
          href: `/${page}?store=${storeUuid}`,
          textContent: page === 'docs' ? 'REST' : 'GraphiQL',
        }),
      )
      for (const content of [[storeName], [inWords(sum(productCounts), 'product')], [uuid], links])
        row.insertCell().append(...content)
      return row
    })
    document.getElementById('numbers-rows').replaceChildren(...rows)
    if (totalCount === 0) said.textContent = 'The catalogue has no stores yet.'
  }

  function inWords(count, noun) {
    return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
  }
})()
