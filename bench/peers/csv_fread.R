# data.table's fread. Arguments: FOLDER THREADS.
suppressPackageStartupMessages(library(data.table))
arguments <- commandArgs(trailingOnly = TRUE)
setDTthreads(as.integer(arguments[2]))
seconds <- system.time(table <- fread(file.path(arguments[1], "x.csv"), showProgress = FALSE))[["elapsed"]]
cat(sprintf('{"seconds": %.6f, "check": %.9f}\n', seconds, sum(as.matrix(table))))
