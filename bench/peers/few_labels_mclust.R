# mclust's MclustSSC on tasks with few labels. Arguments: all|MODEL,MODEL... SUBFOLDER... Prints seconds and accuracy
# of each task. It has one component a class and chooses the covariance by BIC. Where it finds no model the accuracy
# is null.
suppressPackageStartupMessages(library(mclust))
arguments <- commandArgs(trailingOnly = TRUE)
models <- if (arguments[1] == "all") NULL else strsplit(arguments[1], ",")[[1]]

read <- function(path) {
    table <- read.csv(path, colClasses = c(y = "character"), na.strings = "")
    list(x = as.matrix(table[names(table) != "y"]), y = table$y)
}

seconds <- accuracy <- character()
for (folder in arguments[-1]) {
    train <- read(file.path(folder, "train.csv"))
    test <- read(file.path(folder, "test.csv"))
    seconds <- c(seconds, sprintf("%.6f", system.time(suppressWarnings(
        fit <- try(MclustSSC(train$x, class = train$y, modelNames = models, verbose = FALSE),
                   silent = TRUE)))[["elapsed"]]))
    found <- try(predict(fit, newdata = test$x)$classification, silent = TRUE)
    good <- !inherits(fit, "try-error") && !inherits(found, "try-error") && length(found) == length(test$y)
    accuracy <- c(accuracy, if (good) sprintf("%.9f", mean(as.character(found) == test$y)) else "null")
}
cat(sprintf('{"seconds": [%s], "accuracy": [%s]}\n', paste(seconds, collapse = ","), paste(accuracy, collapse = ",")))
