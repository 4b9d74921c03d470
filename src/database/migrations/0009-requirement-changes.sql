-- Requirements are recorded too: `code` is the channel, `was` its list from before as JSON, null if there was none.
-- What is there is not checked again: it has fewer kinds.
alter table change drop constraint change_kind_check;
alter table change add constraint change_kind_check
  check (kind in ('product', 'asset', 'link', 'definition', 'requirement', 'store')) not valid;
