"""One file per table or figure of the paper; `index` lists them, `claims` judges the text."""
